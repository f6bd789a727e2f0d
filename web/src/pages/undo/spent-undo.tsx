import { ButtonLink } from '../../components/button';
import { SpentLink } from '../../components/spent-link';
import { useTranslation } from '../../i18n/use-translation';

/** The card for an invalid undo link. Nobody can request another undo link, so the card offers a new password. */
export function SpentUndo() {
  const { t } = useTranslation();
  return (
    <SpentLink lines={[t('undo.expired')]}>
      <ButtonLink variant="primary" to="/request-password">
        {t('undo.new_password')}
      </ButtonLink>
      <ButtonLink to="/">{t('common.go_to_sign_in')}</ButtonLink>
    </SpentLink>
  );
}
