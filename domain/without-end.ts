/** The text without the signs at its end. An expression such as `/-+$/` would search from each of many signs. */
export function withoutEnd(text: string, sign: string): string {
  let end = text.length;
  while (end > 0 && text[end - 1] === sign) end -= 1;
  return text.slice(0, end);
}
