import { useCallback } from 'react';
import { type AroundNavHandler, Redirect, Route, Router, Switch, useLocation } from 'wouter';
import { appParameterOf, withAppParameter } from './app-parameter';
import { LazyPage, once } from './lazy-page';
import { Mounted } from './mounted';
import SignIn from './pages/sign-in/sign-in';
import { ErrorBoundary } from './shell/error-boundary';
import { PageShell } from './shell/page-shell';
import { useClientValue } from './use-client-value';

/** The base path of the product. The routes below are relative to it. */
export const BASE = '/account';

// Most visitors sign in, so the sign-in is in the entry chunk. The others are loaded on demand.
const laterPages = {
  '/signup': once(() => import('./pages/sign-up/sign-up')),
  '/request-password': once(() => import('./pages/password-reset/request-password')),
  '/reset-password': once(() => import('./pages/password-reset/reset-password')),
  '/migration': once(() => import('./pages/migration/migration')),
  '/migration-confirmation': once(() => import('./pages/completion/completion')),
  '/unsubscribe': once(() => import('./pages/unsubscribe/unsubscribe')),
  '/verify-email': once(() => import('./pages/verify-email/verify-email')),
  '/settings': once(() => import('./pages/settings/settings')),
  '/change-email': once(() => import('./pages/email-change/change-email')),
};
const notFound = once(() => import('./pages/not-found/not-found'));

/** `ssrPath` is the path of the screen during prerendering. */
export function App(props: { ssrPath?: string }) {
  const app = useClientValue(() => appParameterOf(location.search), '');
  const hrefs = useCallback((href: string) => withAppParameter(href, app), [app]);
  return (
    <Router aroundNav={navigateWithAppParameter} base={BASE} hrefs={hrefs} {...props}>
      <PageShell>
        <Screens />
      </PageShell>
    </Router>
  );
}

const navigateWithAppParameter: AroundNavHandler = (navigate, to, options) =>
  navigate(withAppParameter(to, appParameterOf(location.search)), options);

function Screens() {
  const [path] = useLocation();
  return (
    <ErrorBoundary path={path}>
      <Switch>
        <Route path="/">
          <Mounted>
            <SignIn />
          </Mounted>
        </Route>
        {/* The target of a completed migration (specification section 2). The server also redirects it. */}
        <Route path="/login">
          <Redirect replace to="/" />
        </Route>
        {Object.entries(laterPages).map(([path, load]) => (
          <Route key={path} path={path}>
            <LazyPage load={load} />
          </Route>
        ))}
        <Route>
          <LazyPage load={notFound} />
        </Route>
      </Switch>
    </ErrorBoundary>
  );
}
