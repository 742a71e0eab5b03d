/** The values in a condition of GitHub or GitLab: no lists and no objects. */
export type Value = string | number | boolean | null | undefined;

/** The values of the names in an expression. */
interface Names {
  readonly valueAt: (path: readonly string[]) => Value;
  readonly functions?: Readonly<Record<string, (...given: Value[]) => Value>>;
}

const token =
  /\s*(?:(&&|\|\||==|!=|[!(),])|'((?:[^']|'')*)'|"([^"]*)"|(\d+)\b|(true|false|null)\b|(\$?[A-Za-z_][\w.-]*))/y;

/** Evaluates an expression of `&&`, `||`, `!`, `==`, `!=`, brackets, texts, names, and calls. Throws if it is invalid. */
export function evaluateExpression(expression: string, { valueAt, functions = {} }: Names): Value {
  const tokens = tokensIn(expression);
  let at = 0;
  const takes = (sign: string): boolean => {
    if (tokens[at]?.sign !== sign) return false;
    at += 1;
    return true;
  };
  const demand = (sign: string): void => {
    if (!takes(sign)) throw new Error(`${expression} lacks ${sign}`);
  };

  function either(): Value {
    let value = both();
    while (takes('||')) {
      const other = both();
      value = value || other;
    }
    return value;
  }
  function both(): Value {
    let value = compared();
    while (takes('&&')) {
      const other = compared();
      value = value && other;
    }
    return value;
  }
  function compared(): Value {
    const value = single();
    if (takes('==')) return isSame(value, single());
    if (takes('!=')) return !isSame(value, single());
    return value;
  }
  function single(): Value {
    if (takes('!')) return !single();
    if (takes('(')) {
      const value = either();
      demand(')');
      return value;
    }
    const one = tokens[at];
    if (one === undefined || one.sign !== undefined) throw new Error(`${expression} ends too early`);
    at += 1;
    if (one.name === undefined) return one.value;
    if (!takes('(')) return valueAt(one.name.split('.'));
    const given: Value[] = [];
    while (!takes(')')) {
      given.push(either());
      if (tokens[at]?.sign !== ')') demand(',');
    }
    const called = functions[one.name];
    if (called === undefined) throw new Error(`there is no function ${one.name}`);
    return called(...given);
  }

  const value = either();
  if (at < tokens.length) throw new Error(`${expression} goes on after its end`);
  return value;
}

interface Token {
  readonly sign?: string | undefined;
  readonly name?: string | undefined;
  readonly value?: Value;
}

function tokensIn(expression: string): Token[] {
  const tokens: Token[] = [];
  token.lastIndex = 0;
  while (token.lastIndex < expression.trimEnd().length) {
    const from = token.lastIndex;
    const found = token.exec(expression);
    if (found === null) throw new Error(`${expression} is no expression at ${expression.slice(from)}`);
    const [, sign, single, double, digits, word, name] = found;
    if (sign ?? name) tokens.push({ sign, name });
    else if (digits !== undefined) tokens.push({ value: Number(digits) });
    else if (word !== undefined) tokens.push({ value: word === 'null' ? null : word === 'true' });
    else tokens.push({ value: single?.replaceAll("''", "'") ?? double });
  }
  return tokens;
}

/** GitHub compares texts without regard to case, and treats a missing value as an empty text. */
function isSame(one: Value, other: Value): boolean {
  return String(one ?? '').toLowerCase() === String(other ?? '').toLowerCase();
}
