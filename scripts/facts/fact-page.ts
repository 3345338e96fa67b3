import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';
import { z } from 'zod';

/**
 * The facts that are pinned by tests: `test/facts/<page>.yaml`, from which `npm run facts` renders a page of tables
 * beside it. Each upstream project, and each subject of our own, has a page and a prefix in its ids.
 */
export const FACT_PAGES = [
  'bare-metal-hosts',
  'cluster-api',
  'addresses',
  'machine-api',
  'seeds',
  'reliability',
  'operations',
] as const;
export type FactPageName = (typeof FACT_PAGES)[number];

/** `2.5-3`: section and number; on a page with a prefix `m3-2.5-3`. */
const FACT_ID = /^(?:[a-z]\w*-)?\d+(?:\.\d+)?-\d+$/;
/** `C7` and `m3-C7` are intended differences, `ma-N3` is a missing feature. */
export const DIFFERENCE_ID = /^(?:C|[a-z]\w*-[CN])\d+$/;

const fact = z.strictObject({
  id: z.string().regex(FACT_ID),
  fact: z.string(),
  /** What is in its place today, on the page of the first documents. */
  today: z.string().optional(),
  pins: z.array(z.string()),
});

const difference = z.strictObject({
  id: z.string().regex(DIFFERENCE_ID),
  upstream: z.string(),
  temper: z.string(),
  why: z.string().optional(),
});

const factPage = z.strictObject({
  title: z.string(),
  about: z.string(),
  /** The heads of the tables of facts, after the id. */
  columns: z.array(z.string()),
  differences: z
    .array(z.strictObject({ title: z.string(), columns: z.array(z.string()), rows: z.array(difference) }))
    .default([]),
  sections: z.array(z.strictObject({ title: z.string(), text: z.string().optional(), facts: z.array(fact) })),
});
export type FactPage = z.infer<typeof factPage>;

export function parseFactPage(yaml: string): FactPage {
  return factPage.parse(parse(yaml));
}

export const factFile = (name: FactPageName, extension: 'yaml' | 'md'): string => `test/facts/${name}.${extension}`;

export function readFactPage(name: FactPageName): FactPage {
  return parseFactPage(
    readFileSync(fileURLToPath(new URL(`../../${factFile(name, 'yaml')}`, import.meta.url)), 'utf8'),
  );
}
