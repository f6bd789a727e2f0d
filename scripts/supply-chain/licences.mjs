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

  function parseOr() {
    let fine = parseAnd();
    while (tokens[at] === 'OR') {
      at += 1;
      fine = parseAnd() || fine;
    }
    return fine;
  }

  function parseAnd() {
    let fine = parseLicence();
    while (tokens[at] === 'AND') {
      at += 1;
      fine = parseLicence() && fine;
    }
    return fine;
  }

  function parseLicence() {
    const token = tokens[at];
    at += 1;
    if (token === '(') {
      const fine = parseOr();
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

  const fine = parseOr();
  if (at !== tokens.length) throw new Error(`no SPDX expression: ${expression}`);
  return fine;
}
