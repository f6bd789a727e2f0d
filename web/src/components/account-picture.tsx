import { useState } from 'react';
import type { CurrentUser } from '../api/session';
import { useConfig } from '../config';
import styles from './account-picture.module.css';

/** The decorative picture of the account. The initial of the username is shown until the picture is loaded. */
export function AccountPicture({ user }: { user: CurrentUser }) {
  const { avatar_images: address } = useConfig().region;
  const [isShown, setIsShown] = useState(false);
  if (!address) return null;
  const url = address
    .replaceAll('{username}', encodeURIComponent(user.username))
    .replaceAll('{id}', encodeURIComponent(user.id));
  return (
    <div aria-hidden="true" className={styles.picture}>
      {isShown ? null : <span>{user.username.slice(0, 1).toUpperCase()}</span>}
      <img
        alt=""
        height="64"
        hidden={!isShown}
        onError={() => setIsShown(false)}
        onLoad={() => setIsShown(true)}
        referrerPolicy="no-referrer"
        src={url}
        width="64"
      />
    </div>
  );
}
