// Shows the entries of the page that are of a chosen kind and contain the searched text, also in closed folds.
'use strict';
{
  const form = /** @type {HTMLFormElement} */ (document.querySelector('form'));
  const search = /** @type {HTMLInputElement} */ (form.querySelector('input[type="search"]'));
  const status = /** @type {HTMLElement} */ (form.querySelector('[role="status"]'));
  const boxes = /** @type {HTMLInputElement[]} */ ([...form.querySelectorAll('input[type="checkbox"]')]);
  const folds = [...document.querySelectorAll('details')];
  const entries = Array.from(document.querySelectorAll('li'), (element) => ({
    element,
    fold: element.closest('details'),
    kind: element.dataset['kind'] ?? '',
    text: (element.textContent ?? '').toLowerCase(),
  }));

  const filter = () => {
    const kinds = new Set(boxes.filter(({ checked }) => checked).map(({ value }) => value));
    const wanted = search.value.trim().toLowerCase();
    // A match may be in a closed fold.
    if (wanted !== '') for (const fold of folds) fold.open = true;
    let shown = 0;
    for (const { element, fold, kind, text } of entries) {
      const hidden = !kinds.has(kind) || !text.includes(wanted);
      if (element.hidden !== hidden) element.hidden = hidden;
      if (!hidden && (fold === null || fold.open)) shown += 1;
    }
    status.textContent = `${shown} of ${entries.length} shown`;
  };

  form.hidden = entries.length === 0;
  form.addEventListener('input', filter);
  for (const fold of folds) fold.addEventListener('toggle', filter);
  form.addEventListener('submit', (event) => event.preventDefault());
  filter();
  // When the user returns to the page, the browser restores the form only at this event.
  addEventListener('pageshow', filter);
}
