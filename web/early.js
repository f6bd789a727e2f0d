(() => {
  const page = document.documentElement;
  const address = new URL(location.href);
  const app = address.searchParams.get('app');
  const names = ['token', 'migration_token', 'verificationToken', 'undo'];
  const given = names.filter((name) => address.searchParams.has(name));
  if (given.length > 0) {
    const link = Object.fromEntries(given.map((name) => [name, address.searchParams.get(name)]));
    for (const name of given) address.searchParams.delete(name);
    history.replaceState({ ...history.state, link }, '', address);
  } else if (history.state?.link) {
    page.dataset.link = 'kept';
  }

  const mounted = new Set();
  const presses = new Map();
  let held;
  let alert;

  const partOf = (element) => (element.closest('#content') ? 'screen' : 'shell');

  addEventListener(
    'click',
    (event) => {
      const [target] = event.composedPath();
      const button = target.closest?.('button[type="button"]:not([popovertarget])');
      if (button && !mounted.has(partOf(button))) {
        presses.set(button, partOf(button));
        if (alert) alert.focus();
        else button.setAttribute('aria-busy', 'true');
      }
      const link = target.closest?.('#content a[href^="/account/"]');
      if (app && link && !mounted.has('screen')) {
        const to = new URL(link.href);
        to.searchParams.set('app', app);
        link.href = to;
      }
    },
    true,
  );
  addEventListener(
    'submit',
    (event) => {
      if (mounted.has('screen') || partOf(event.target) !== 'screen') return;
      event.preventDefault();
      if (alert) {
        alert.focus();
        return;
      }
      held = event.target;
      event.submitter?.setAttribute('aria-busy', 'true');
    },
    true,
  );

  const settle = () => {
    for (const button of document.querySelectorAll('button[aria-busy]'))
      button.removeAttribute('aria-busy');
  };

  const fail = () => {
    const { common } = JSON.parse(document.getElementById('boot').textContent).translations;
    const sentence = document.createElement('p');
    sentence.textContent = common.unreachable;
    const again = document.createElement('button');
    again.textContent = common.try_again;
    again.type = 'button';
    again.addEventListener('click', () => location.reload());
    alert = document.createElement('div');
    alert.className = 'not-started';
    alert.role = 'alert';
    alert.tabIndex = -1;
    alert.append(sentence, again);
    (document.getElementById('content') ?? document.getElementById('root')).prepend(alert);
    delete page.dataset.link;
    settle();
    if (held || presses.size > 0) alert.focus();
  };

  const parsed = new Promise((resolve) => addEventListener('DOMContentLoaded', resolve));
  const seen = new Promise((resolve) => {
    new PerformanceObserver(resolve).observe({ type: 'paint', buffered: true });
    if (document.hidden) resolve();
    addEventListener('visibilitychange', resolve, true);
    setTimeout(resolve, 1000);
  });
  const load = () => import(document.getElementById('entry').href);
  Promise.all([parsed, seen])
    .then(load)
    .catch(() => new Promise((resolve) => setTimeout(resolve, 1000)).then(load))
    .catch((error) => {
      fail();
      throw error;
    });

  window.early = {
    mounted(part) {
      mounted.add(part);
      const ready = [...presses.keys()].filter((button) => presses.get(button) === part);
      for (const button of ready) presses.delete(button);
      if (part === 'screen') {
        delete page.dataset.link;
        settle();
      }
      for (const button of ready) {
        button.removeAttribute('aria-busy');
        button.click();
      }
      if (part === 'screen') {
        held?.requestSubmit();
        held = undefined;
      }
    },
  };
})();
