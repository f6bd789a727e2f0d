import { reload } from '../loading/load-page';

/** Shows an alert above the screen: the scripts cannot be loaded, and a button reloads the page. Returns the alert. */
export function showLoadFailure(): HTMLElement {
  // The texts come from the page itself, because a request for texts would probably fail too.
  const { translations } = JSON.parse(document.getElementById('boot')?.textContent ?? '');
  const sentence = document.createElement('p');
  sentence.textContent = translations.common.unreachable;
  const again = document.createElement('button');
  again.textContent = translations.common.try_again;
  again.type = 'button';
  again.addEventListener('click', reload);
  const alert = document.createElement('div');
  alert.className = 'not-started';
  alert.role = 'alert';
  alert.tabIndex = -1;
  alert.append(sentence, again);
  // Only a prerendered page has the element `#content`.
  (document.getElementById('content') ?? document.getElementById('root'))?.prepend(alert);
  return alert;
}
