import { ButtonLink } from '../../components/button';
import { Section } from '../../components/section';
import { useConfig } from '../../config';
import { useTranslation } from '../../i18n/use-translation';

export function DeleteSection() {
  const { t } = useTranslation();
  const count = useConfig().security.deletion_grace_days;
  return (
    <Section lead={t('data.delete_lead', { count })} title={t('data.delete')}>
      <ButtonLink to="/delete">{t('data.delete_link')}</ButtonLink>
    </Section>
  );
}
