/** A line that is safe for a terminal: objects and servers may have put control characters into it. */
export const printable = (line: string): string => line.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ');
