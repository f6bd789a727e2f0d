/** The alternatives of an SPDX expression read as one: `MIT/Apache-2.0` is the older form of `OR`. */
export function normalise(expression) {
  return expression.replace(/\s*\/\s*/g, ' OR ').trim();
}

/**
 * Whether these licences, by their SPDX identifiers, satisfy the expression
 * (SPDX 2.3, annex D): one side of an OR, both sides of an AND, a WITH only as a whole.
 */
export function isAllowed(expression, allowed) {
  const tokens = normalise(expression).match(/\(|\)|[^\s()]+/g) ?? [];
  let at = 0;

  function alternatives() {
    let fine = all();
    while (tokens[at] === 'OR') {
      at += 1;
      fine = all() || fine;
    }
    return fine;
  }

  function all() {
    let fine = one();
    while (tokens[at] === 'AND') {
      at += 1;
      fine = one() && fine;
    }
    return fine;
  }

  function one() {
    const token = tokens[at];
    at += 1;
    if (token === '(') {
      const fine = alternatives();
      if (tokens[at] !== ')') throw new Error(`no SPDX expression: ${expression}`);
      at += 1;
      return fine;
    }
    if (token === undefined || /^(?:\)|AND|OR|WITH)$/.test(token)) {
      throw new Error(`no SPDX expression: ${expression}`);
    }
    if (tokens[at] !== 'WITH') return allowed.has(token);
    at += 2;
    return allowed.has(`${token} WITH ${tokens[at - 1]}`);
  }

  const fine = alternatives();
  if (at !== tokens.length) throw new Error(`no SPDX expression: ${expression}`);
  return fine;
}
