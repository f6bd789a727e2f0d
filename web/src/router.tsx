import { ROUTES } from 'virtual:screens';
import { type ComponentType, useCallback, useEffect } from 'react';
import { type AroundNavHandler, Redirect, Route, Router, Switch, useLocation } from 'wouter';
import { useClientValue } from './hooks/use-client-value';
import { usePageReturn } from './hooks/use-page-return';
import { LazyPage, type OnceLoader, once } from './loading/lazy-page';
import { loadPage, reload } from './loading/load-page';
import { Mounted } from './loading/mounted';
import { ErrorBoundary } from './shell/error-boundary';
import { PageShell } from './shell/page-shell';
import { appParameterOf, withAppParameter } from './url/app-parameter';
import { hasLinkTokens } from './url/link-tokens';

/** The base path of all screens, to which the paths of screens are relative. */
export const BASE = '/account';

interface ScreenRoute {
  path: string;
  Screen: ComponentType;
  /** Whether the screen is only for signed-in users. */
  signedIn: boolean;
  /** Loads the script of the screen. Undefined if the entry script contains the screen. */
  load?: OnceLoader;
}

const SCREEN_ROUTES = ROUTES.map((route): ScreenRoute => {
  const { signedIn, Component, load, title } = route;
  // wouter matches `*` with every URL. The route for unknown URLs comes last.
  const path = route.path ?? '*';
  if (Component) return { path, signedIn, Screen: mounted(Component) };
  const loadOnce = once(load);
  const Screen = () => <LazyPage load={loadOnce} title={title} />;
  return { path, signedIn, Screen, load: loadOnce };
});

const loaderOf = (pathname: string): OnceLoader | undefined => {
  const relative = pathname.slice(BASE.length) || '/';
  return SCREEN_ROUTES.find(({ path }) => path === relative || path === '*')?.load;
};

/** Loads the script of the first screen. A failure is ignored, because the screen itself reports it. */
export async function loadFirstScreen(pathname: string): Promise<void> {
  await loaderOf(pathname)?.().catch(() => undefined);
}

/** Loads the script of a screen as soon as the user presses a link to the screen. */
function preloadPressedLink({ target }: Event): void {
  const link = target instanceof Element ? target.closest('a') : null;
  if (link?.origin !== location.origin || !link.pathname.startsWith(BASE)) return;
  loaderOf(link.pathname)?.preload();
}

function mounted(Component: ComponentType): ComponentType {
  return () => (
    <Mounted>
      <Component />
    </Mounted>
  );
}

/** The whole page. `ssrPath` is the path of the screen to prerender. */
export function App(props: { ssrPath?: string }) {
  const app = useClientValue(() => appParameterOf(location.search), '');
  const hrefs = useCallback((href: string) => withAppParameter(href, app), [app]);
  useEffect(() => {
    document.addEventListener('pointerdown', preloadPressedLink);
    return () => document.removeEventListener('pointerdown', preloadPressedLink);
  }, []);
  return (
    <Router aroundNav={navigateWithAppParameter} base={BASE} hrefs={hrefs} {...props}>
      <PageShell>
        <Screens />
      </PageShell>
    </Router>
  );
}

/** If the page has the secret of a mailed link, navigates by a page load, so that later scripts cannot read it. */
const navigateWithAppParameter: AroundNavHandler = (navigate, to, options) => {
  const path = withAppParameter(to, appParameterOf(location.search));
  if (hasLinkTokens()) loadPage(path);
  else navigate(path, options);
};

/** Reloads a page that is restored from the back/forward cache, because the session may have ended. */
function ReloadOnReturn() {
  usePageReturn(reload);
  return null;
}

function Screens() {
  const [path] = useLocation();
  return (
    <ErrorBoundary path={path}>
      <Switch>
        {/* The screen of a completed migration links to this path, which the server redirects too. */}
        <Route path="/login">
          <Redirect replace state={history.state} to="/" />
        </Route>
        {SCREEN_ROUTES.map(({ path, signedIn, Screen }) => (
          <Route key={path} path={path}>
            {signedIn ? <ReloadOnReturn /> : null}
            <Screen />
          </Route>
        ))}
      </Switch>
    </ErrorBoundary>
  );
}
