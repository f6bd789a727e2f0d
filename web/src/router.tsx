import { ROUTES } from 'virtual:screens';
import { type ComponentType, useCallback } from 'react';
import { type AroundNavHandler, Redirect, Route, Router, Switch, useLocation } from 'wouter';
import { appParameterOf, withAppParameter } from './app-parameter';
import { LazyPage, type Loader, once } from './lazy-page';
import { Mounted } from './mounted';
import { ErrorBoundary } from './shell/error-boundary';
import { PageShell } from './shell/page-shell';
import { useClientValue } from './use-client-value';

/** The base path of the product. The routes below are relative to it. */
export const BASE = '/account';

const SCREENS = ROUTES.map(({ path, Component, load }) => ({
  // wouter matches `*` with every address.
  path: path ?? '*',
  Screen: Component ? mounted(Component) : lazyPage(load),
}));

function mounted(Component: ComponentType): ComponentType {
  return () => (
    <Mounted>
      <Component />
    </Mounted>
  );
}

function lazyPage(load: Loader): ComponentType {
  const loadOnce = once(load);
  return () => <LazyPage load={loadOnce} />;
}

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
        {/* The target of a completed migration (specification section 2). The server also redirects it. */}
        <Route path="/login">
          <Redirect replace to="/" />
        </Route>
        {SCREENS.map(({ path, Screen }) => (
          <Route key={path} path={path}>
            <Screen />
          </Route>
        ))}
      </Switch>
    </ErrorBoundary>
  );
}
