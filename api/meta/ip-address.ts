import type { z } from 'zod';
import { boundedText } from './scalars.ts';

const OCTET = '([0-9]|[1-9][0-9]|1[0-9]{2}|2[0-4][0-9]|25[0-5])';
const V4 = `((${OCTET}\\.){3}${OCTET})`;

const GROUP = '[0-9a-fA-F]{1,4}';
/** Matches all eight groups, or `::` after the given number of groups. */
const V6 = `(${[
  `(${GROUP}:){7,7}${GROUP}`,
  `(${GROUP}:){1,7}:`,
  `(${GROUP}:){1,6}:${GROUP}`,
  ...[5, 4, 3, 2].map((before) => `(${GROUP}:){1,${before}}(:${GROUP}){1,${7 - before}}`),
  `${GROUP}:((:${GROUP}){1,6})`,
  `:((:${GROUP}){1,7}|:)`,
].join('|')})`;

export const ipv4Address = (): z.ZodString => boundedText({ pattern: `^${V4}$` });
export const ipv6Address = (): z.ZodString => boundedText({ pattern: `^${V6}$` });
export const ipAddress = (): z.ZodString => boundedText({ pattern: `((^${V4}$)|(^${V6}$))` });

/** An address with its prefix length, for example `192.168.0.0/24`. */
export const ipSubnet = (): z.ZodString =>
  boundedText({ pattern: `((^${V4}/([0-9]|[1-2][0-9]|3[0-2])$)|(^${V6}/([0-9]|[0-9][0-9]|1[0-1][0-9]|12[0-8])$))` });
