import { useTranslation } from 'react-i18next';
import { ButtonLink } from '../components/button';
import { Card } from '../components/card';

/** An address of the site behind which there is no screen. */
export default function NotFound() {
  const { t } = useTranslation();
  return (
    <Card lead={t('shell.not_found_text')} title={t('shell.not_found_title')}>
      <ButtonLink look="primary" to="/">
        {t('shell.not_found_link')}
      </ButtonLink>
    </Card>
  );
}
