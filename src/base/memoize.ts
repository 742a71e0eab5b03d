export function lazy<Value>(make: () => Value): () => Value {
  let made: { readonly value: Value } | undefined;
  return () => (made ??= { value: make() }).value;
}

/** Adds properties to an object. Each value is made when it is first read. */
export function withLazy<Base extends object, Made extends object>(
  base: Base,
  make: { readonly [Key in keyof Made]: () => Made[Key] },
): Base & Made {
  for (const [key, makeValue] of Object.entries<() => unknown>(make))
    Object.defineProperty(base, key, { get: lazy(makeValue), enumerable: true, configurable: true });
  return base as Base & Made; // the loop adds every key of Made
}

/** Makes one value per object, without keeping the object alive. */
export function memoizePerKey<Key extends object, Value>(make: (key: Key) => Value): (key: Key) => Value {
  return memoize(new WeakMap<Key, { readonly value: Value }>(), make);
}

export function memoizePerText<Value>(make: (text: string) => Value): (text: string) => Value {
  return memoize(new Map<string, { readonly value: Value }>(), make);
}

function memoize<Key, Value>(
  cache: Pick<Map<Key, { readonly value: Value }>, 'get'> & {
    set(key: Key, made: { value: Value }): unknown;
  },
  make: (key: Key) => Value,
): (key: Key) => Value {
  return (key) => {
    const found = cache.get(key);
    if (found) return found.value;
    const made = { value: make(key) };
    cache.set(key, made);
    return made.value;
  };
}
