(() => {
  const ready = new WeakSet();
  let held;
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
  window.early = {
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
