import type { Elements } from './elements';
import { Icon } from './icon';
import { paragraphOf } from './notice';
import styles from './result.module.css';

interface ResultProps {
  /** `spent`: a mailed link was used, was replaced, has expired or lacks its token. */
  status: 'success' | 'failure' | 'spent';
  children: string | Elements;
}

/** The result of a flow: an icon and a text. Screen readers announce the text when the component is mounted. */
export function Result({ status, children }: ResultProps) {
  const success = status === 'success';
  return (
    <div className={`${styles.result} ${styles[status]}`} role={success ? 'status' : 'alert'}>
      <span className={styles.sign}>
        {status === 'spent' ? null : <Icon shape={success ? 'tick' : 'cross'} />}
      </span>
      {paragraphOf(children)}
    </div>
  );
}
