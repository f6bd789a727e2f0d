import { useCallback } from 'react';
import { type AroundNavHandler, Redirect, Route, Router, Switch, useLocation } from 'wouter';
import { appParameterOf, withAppParameter } from './app-parameter';
import { LazyPage, once } from './lazy-page';
import { Mounted } from './mounted';
import SignIn from './pages/sign-in';
import { ErrorBoundary } from './shell/error-boundary';
import { PageShell } from './shell/page-shell';
import { useClientValue } from './use-client-value';

/** The base path of the product; the routes below stand under it. */
export const BASE = '/account';

// Most people come to sign in: that page is part of the first file, the others come when wanted.
const laterPages = {
  '/signup': once(() => import('./pages/sign-up')),
  '/request-password': once(() => import('./pages/request-password')),
  '/reset-password': once(() => import('./pages/reset-password')),
  '/migration': once(() => import('./pages/migration')),
  '/migration-confirmation': once(() => import('./pages/completion')),
  '/unsubscribe': once(() => import('./pages/unsubscribe')),
  '/verify-email': once(() => import('./pages/verify-email')),
  '/settings': once(() => import('./pages/settings')),
  '/change-email': once(() => import('./pages/change-email')),
};
const notFound = once(() => import('./pages/not-found'));

/** `ssrPath` is where a visitor is, for a build that has no visitor. */
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
  const [place] = useLocation();
  return (
    <ErrorBoundary place={place}>
      <Switch>
        <Route path="/">
          <Mounted>
            <SignIn />
          </Mounted>
        </Route>
        {/* Where a finished migration goes (specification section 2); the server redirects it, too. */}
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
