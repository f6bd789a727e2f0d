import { useLocation } from 'wouter';
import { signOut } from '../../api/session';
import { setSessionPossible } from '../../browser/session-hint';
import { Button } from '../../components/button';
import { Card } from '../../components/card';
import { Failure } from '../../components/failure';
import { useRequest } from '../../forms/use-request';
import { useTranslation } from '../../i18n/use-translation';
import { loadPage } from '../../loading/load-page';

/** The OpenID Connect logout endpoint, which redirects to the `post_logout_redirect_uri` of the application. */
const LOGOUT = '/account/oidc/logout';

/** Asks the user to confirm a sign-out that an application has requested without a valid ID token hint. */
export default function SignOut() {
  const { t } = useTranslation();
  const [, navigate] = useLocation();
  const { busy, failure, send } = useRequest();

  function continueLogout() {
    if (new URLSearchParams(location.search).has('post_logout_redirect_uri')) {
      loadPage(LOGOUT + location.search);
      return;
    }
    setSessionPossible(false);
    navigate('/', { state: { notice: { text: 'sign_in.signed_out' } } });
  }

  return (
    <Card lead={t('sign_out.lead')} title={t('sign_out.title')}>
      <Failure fallback={t('sign_out.failed')} reason={failure} />
      <Button busy={busy && t('sign_out.busy')} onClick={() => send(signOut, continueLogout)}>
        {t('sign_out.submit')}
      </Button>
      <Button disabled={busy} variant="secondary" onClick={() => navigate('/settings')}>
        {t('sign_out.stay')}
      </Button>
    </Card>
  );
}
