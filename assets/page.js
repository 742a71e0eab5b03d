// Shows those entries of the page that are of a chosen kind and hold the text that is searched for.
'use strict';
{
  const form = /** @type {HTMLFormElement} */ (document.querySelector('form'));
  const search = /** @type {HTMLInputElement} */ (form.querySelector('input[type="search"]'));
  const status = /** @type {HTMLElement} */ (form.querySelector('[role="status"]'));
  const boxes = /** @type {HTMLInputElement[]} */ ([...form.querySelectorAll('input[type="checkbox"]')]);
  const entries = Array.from(document.querySelectorAll('li'), (element) => ({
    element,
    kind: element.dataset['kind'] ?? '',
    text: (element.textContent ?? '').toLowerCase(),
  }));

  const filter = () => {
    const kinds = new Set(boxes.filter(({ checked }) => checked).map(({ value }) => value));
    const wanted = search.value.trim().toLowerCase();
    let shown = 0;
    for (const { element, kind, text } of entries) {
      const hidden = !kinds.has(kind) || !text.includes(wanted);
      if (element.hidden !== hidden) element.hidden = hidden;
      if (!hidden) shown += 1;
    }
    status.textContent = `${shown} of ${entries.length} shown`;
  };

  form.hidden = entries.length === 0;
  form.addEventListener('input', filter);
  form.addEventListener('submit', (event) => event.preventDefault());
  filter();
  // A page that is gone back to keeps what was chosen and typed, and the browser fills that in only now.
  addEventListener('pageshow', filter);
}
