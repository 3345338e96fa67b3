/** The order in which go-yaml v2 writes the keys of a map: numbers within them by their size, letters behind the rest. */
export function compareKeys(left: string, right: string): number {
  const [a, b] = [Array.from(left), Array.from(right)];
  const shared = Math.min(a.length, b.length);
  for (let index = 0; index < shared; index += 1) {
    const [x, y] = [a[index] ?? '', b[index] ?? ''];
    if (x === y) continue;
    const [xIsLetter, yIsLetter] = [isLetter(x), isLetter(y)];
    if (xIsLetter && yIsLetter) return codeOf(x) - codeOf(y);
    if (xIsLetter || yIsLetter) return yIsLetter ? -1 : 1;
    return compareNumbers(a, b, index) || codeOf(x) - codeOf(y);
  }
  return a.length - b.length;
}

/** From where the keys differ; 0 when neither has a number there. */
function compareNumbers(a: readonly string[], b: readonly string[], from: number): number {
  // A zero behind other digits counts as one of them.
  const head = (a[from] === '0' || b[from] === '0') && followsDigits(a, from) ? 1n : 0n;
  const [x, y] = [numberAt(a, from, head), numberAt(b, from, head)];
  if (x.value !== y.value) return x.value < y.value ? -1 : 1;
  return x.end - y.end;
}

function followsDigits(chars: readonly string[], from: number): boolean {
  for (let index = from - 1; index >= 0 && isDigit(chars[index] ?? ''); index -= 1) {
    if (chars[index] !== '0') return true;
  }
  return false;
}

function numberAt(
  chars: readonly string[],
  from: number,
  head: bigint,
): { readonly value: bigint; readonly end: number } {
  let value = head;
  let end = from;
  while (isDigit(chars[end] ?? '')) {
    // In 64 bits, as Go counts.
    value = BigInt.asIntN(64, value * 10n + BigInt(codeOf(chars[end] ?? '') - 48));
    end += 1;
  }
  return { value, end };
}

const isLetter = (char: string): boolean => /^\p{L}$/u.test(char);
const isDigit = (char: string): boolean => /^\p{Nd}$/u.test(char);
const codeOf = (char: string): number => char.codePointAt(0) ?? 0;
