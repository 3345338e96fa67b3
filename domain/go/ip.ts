import { quote } from './quote.ts';

/** Parses IPv6 addresses like Go, with Go's error messages. */

const GROUPS = 8;

/** True for an IPv6 address without a zone. */
export const isIpv6 = (text: string): boolean => text.includes(':') && !text.includes('%') && fault(text) === undefined;

/** The error in the text between the brackets of a URL's host; undefined for an IPv6 address. */
export function ipLiteralProblem(text: string): string | undefined {
  const first = /[.:%]/.exec(text)?.[0];
  const saying = (problem: Fault): string => {
    const at = problem.at === undefined ? '' : ` (at ${quote(problem.at)})`;
    return `invalid host: ParseAddr(${quote(text)}): ${problem.message}${at}`;
  };
  if (first === undefined) return saying({ message: 'unable to parse IP' });
  if (first === '%') return saying({ message: 'missing IPv6 address' });
  const problem = first === '.' ? ipv4Fault(text) : fault(text);
  if (problem !== undefined) return saying(problem);
  return first === '.' ? 'invalid IP-literal' : undefined;
}

interface Fault {
  readonly message: string;
  /** The rest of the text from the error on. */
  readonly at?: string;
}

function fault(text: string): Fault | undefined {
  const percent = text.indexOf('%');
  if (percent === text.length - 1 && percent >= 0) return { message: 'zone must be a non-empty string' };
  let rest = percent < 0 ? text : text.slice(0, percent);
  let gap = rest.startsWith('::');
  if (gap) rest = rest.slice(2);
  let groups = 0;
  while (rest !== '' && groups < GROUPS) {
    const digits = /^[0-9a-f]*/i.exec(rest)?.[0] ?? '';
    if (digits.length > 4) return { message: 'each group must have 4 or less digits', at: rest };
    if (digits === '') return { message: 'each colon-separated field must have at least one digit', at: rest };
    if (rest[digits.length] === '.') {
      const embedded = embeddedFault(rest, groups, gap);
      if (embedded !== undefined) return embedded;
      groups += 2;
      rest = '';
      break;
    }
    groups += 1;
    rest = rest.slice(digits.length);
    if (rest === '') break;
    if (!rest.startsWith(':')) return { message: 'unexpected character, want colon', at: rest };
    if (rest === ':') return { message: 'colon must be followed by more characters', at: rest };
    rest = rest.slice(1);
    if (!rest.startsWith(':')) continue;
    if (gap) return { message: 'multiple :: in address', at: rest };
    gap = true;
    rest = rest.slice(1);
  }
  if (rest !== '') return { message: 'trailing garbage after address', at: rest };
  if (groups < GROUPS) return gap ? undefined : { message: 'address string too short' };
  return gap ? { message: 'the :: must expand to at least one field of zeros' } : undefined;
}

function embeddedFault(rest: string, groups: number, gap: boolean): Fault | undefined {
  if (!gap && groups !== GROUPS - 2) {
    return { message: 'embedded IPv4 address must replace the final 2 fields of the address', at: rest };
  }
  if (groups + 2 > GROUPS) {
    return { message: 'too many hex fields to fit an embedded IPv4 at the end of the address', at: rest };
  }
  return ipv4Fault(rest);
}

function ipv4Fault(text: string): Fault | undefined {
  let octets = 0;
  let digits = '';
  for (let index = 0; index < text.length; index += 1) {
    const char = text.charAt(index);
    if (/\d/.test(char)) {
      if (digits === '0') return { message: 'IPv4 field has octet with leading zero' };
      digits += char;
      if (Number(digits) > 255) return { message: 'IPv4 field has value >255' };
    } else if (char === '.') {
      if (digits === '' || index === text.length - 1) {
        return { message: 'IPv4 field must have at least one digit', at: text.slice(index) };
      }
      if (octets === 3) return { message: 'IPv4 address too long' };
      octets += 1;
      digits = '';
    } else return { message: 'unexpected character', at: text.slice(index) };
  }
  return octets < 3 ? { message: 'IPv4 address too short' } : undefined;
}
