(() => {
  const opened = location.href;
  const address = new URL(opened);
  const secrets = ['token', 'migration_token', 'verificationToken', 'undo'];
  if (secrets.some((name) => address.searchParams.has(name))) {
    for (const name of secrets) address.searchParams.delete(name);
    history.replaceState(history.state, '', address);
  }

  const ready = new WeakSet();
  let held;
  let pressed;

  const hold = (event) => {
    const button = event.composedPath()[0].closest?.('button[type="button"]:not([popovertarget])');
    pressed = button ?? pressed;
  };
  addEventListener('click', hold, true);
  addEventListener(
    'submit',
    (event) => {
      if (ready.has(event.target)) return;
      event.preventDefault();
      held = event.target;
      event.submitter?.setAttribute('aria-busy', 'true');
    },
    true,
  );

  const parsed = new Promise((resolve) => addEventListener('DOMContentLoaded', resolve));
  const seen = new Promise((resolve) => {
    new PerformanceObserver(resolve).observe({ type: 'paint', buffered: true });
    if (document.hidden) resolve();
    addEventListener('visibilitychange', resolve, true);
    setTimeout(resolve, 1000);
  });
  Promise.all([parsed, seen])
    .then(() => import(document.getElementById('entry').href))
    .catch((error) => {
      history.replaceState(history.state, '', opened);
      throw error;
    });

  window.early = {
    opened,
    started() {
      removeEventListener('click', hold, true);
      pressed?.click();
    },
    ready(form) {
      ready.add(form);
      for (const button of form.querySelectorAll('button[aria-busy]'))
        button.removeAttribute('aria-busy');
      if (held !== form) return;
      held = undefined;
      form.requestSubmit();
    },
  };
})();
