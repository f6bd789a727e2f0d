import { ButtonLink } from '../../components/button';
import { Section } from '../../components/section';
import { useTranslation } from '../../i18n/use-translation';

/** The section that leads to the deletion of the account. */
export function DeleteSection() {
  const { t } = useTranslation();
  return (
    <Section lead={t('data.delete_lead')} title={t('data.delete')}>
      <ButtonLink to="/delete">{t('data.delete_link')}</ButtonLink>
    </Section>
  );
}
