/** A lazy value: made when first needed, then kept. */
export function once<Value>(make: () => Value): () => Value {
  let made: { readonly value: Value } | undefined;
  return () => (made ??= { value: make() }).value;
}

/** The same for each key object. */
export function memoizePerKey<Key extends object, Value>(make: (key: Key) => Value): (key: Key) => Value {
  return memoized(new WeakMap<Key, { readonly value: Value }>(), make);
}

/** The same for each text. */
export function memoizePerText<Value>(make: (text: string) => Value): (text: string) => Value {
  return memoized(new Map<string, { readonly value: Value }>(), make);
}

function memoized<Key, Value>(
  known: Pick<Map<Key, { readonly value: Value }>, 'get'> & {
    set(key: Key, made: { value: Value }): unknown;
  },
  make: (key: Key) => Value,
): (key: Key) => Value {
  return (key) => {
    const made = known.get(key) ?? { value: make(key) };
    known.set(key, made);
    return made.value;
  };
}
