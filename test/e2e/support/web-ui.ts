import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { expect, vi } from 'vitest';
import type { View } from '../../../lab/terminal/views.ts';
import { PATIENCE, type Page } from './page.ts';

/** Temporal's Web UI, as docs/web-ui.md says to use it. */
const PAGE = fileURLToPath(new URL('../../../docs/web-ui.md', import.meta.url));
const VIEW = /^\| ([^|]+) \| `(ExecutionStatus[^`]+)` \|$/gm;
const SINCE = / AND TemperSince < "[^"]+"/;
const COLUMNS = /^3\. Press the minus behind (.+), and the plus behind (.+)\. Close the panel\.$/m;
const FILTER = /`(\/history\?category=[^`]+)`/;

const DIALOGS = { signal: 'Send a Signal', update: 'Send an Update' } as const;
export type Kind = keyof typeof DIALOGS;

/** The views of the document. */
export async function documentedViews(): Promise<readonly View[]> {
  const text = await readFile(PAGE, 'utf8');
  return [...text.matchAll(VIEW)].map(([, name = '', query = '']) => ({ name, query }));
}

/** The view with what the document adds for what has waited since a time. */
export async function documentedSince(query: string, since: Date): Promise<string> {
  const [more = ''] = SINCE.exec(await readFile(PAGE, 'utf8')) ?? [];
  return query + more.replace(/(?<=")[^"]+/, since.toISOString());
}

/** What the document says to append to the address of a run, so that it shows no activities. */
export const documentedFilter = async (): Promise<string> => FILTER.exec(await readFile(PAGE, 'utf8'))?.[1] ?? '';

/** The columns that the document takes from the list, and adds to it. */
export async function documentedColumns(): Promise<Readonly<Record<'removed' | 'added', readonly string[]>>> {
  const [, removed = '', added = ''] = COLUMNS.exec(await readFile(PAGE, 'utf8')) ?? [];
  const namesIn = (text: string): readonly string[] => [...text.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name);
  return { removed: namesIn(removed), added: namesIn(added) };
}

/** Changes the columns of the list that is open, as the document says. */
export async function changeColumns(page: Page): Promise<void> {
  const { removed, added } = await documentedColumns();
  await page.press('[aria-label="Configure Columns"]', '');
  for (const column of removed) await page.press(`[aria-label="Remove ${column} column"]`, '');
  for (const column of added) await page.press(`[aria-label="Add ${column} column"]`, '');
}

const dialogOf = (kind: Kind): string => `#${kind}-confirmation-modal`;
const optionsOf = (kind: Kind): string => `${dialogOf(kind)} [role=option]`;
const listButtonOf = (kind: Kind): string => `${dialogOf(kind)} [data-testid=${kind}-select-button]`;

/** Opens one of the dialogs of a run. */
export async function openDialog(page: Page, kind: Kind): Promise<void> {
  await page.press('button', 'More Actions');
  await page.press(`[data-testid=${kind}-button]`, DIALOGS[kind]);
}

/** The messages in the list of the dialog that was opened, each with what it does. */
export const listedMessages = (page: Page, kind: Kind): Promise<readonly string[]> =>
  vi.waitFor(async () => {
    const texts = (await page.texts(optionsOf(kind))).filter((text) => text !== '');
    if (texts.length === 0) await page.pressed(listButtonOf(kind), '');
    expect(texts).not.toEqual([]);
    return texts;
  }, PATIENCE);

/**
 * Sends a message with the dialog that was opened. When the Web UI reads the run again, the dialog forgets what was
 * chosen: a person sees it, and chooses again.
 */
export async function submit(page: Page, kind: Kind, message: string, input: string): Promise<void> {
  const dialog = dialogOf(kind);
  const confirm = async (): Promise<boolean> => {
    if (!(await isChosen(page, kind, message))) return false;
    await page.write(`${dialog} .cm-content`, input);
    return (await isChosen(page, kind, message)) && page.pressed(`${dialog} [data-testid=confirm-modal-button]`, '');
  };
  await vi.waitFor(async () => expect(await confirm(), `${message} was sent`).toBe(true), PATIENCE);
}

/** Chooses the message if it is not chosen, or opens the list if it is closed. */
async function isChosen(page: Page, kind: Kind, message: string): Promise<boolean> {
  if ((await page.value(`${dialogOf(kind)} #${kind}-select`)) === message) return true;
  if (!(await page.pressed(optionsOf(kind), message))) await page.pressed(listButtonOf(kind), '');
  return false;
}

/** Closes the dialog that was opened; its list may cover the button. */
export async function cancelDialog(page: Page, kind: Kind): Promise<void> {
  const close = async (): Promise<boolean> => {
    const isClosed = await page.pressed(`${dialogOf(kind)} button`, 'Cancel');
    if (!isClosed) await page.pressed(listButtonOf(kind), '');
    return isClosed;
  };
  await vi.waitFor(async () => expect(await close(), `the ${kind} was cancelled`).toBe(true), PATIENCE);
}

/** How the Web UI is told to use a codec server: docs/temporal.md. */
export interface CodecSettings {
  readonly endpoint: string;
  readonly passToken: boolean;
}

const CODEC_DIALOG = '#data-encoder-settings';

/** Fills in the dialog for the codec server, as docs/temporal.md says. */
export async function useCodecServer(page: Page, { endpoint, passToken }: CodecSettings): Promise<void> {
  await page.press('[data-testid^=data-encoder-status]', '');
  await page.press(`${CODEC_DIALOG} label`, 'Use my browser setting and ignore Cluster-level setting.');
  await page.write(`${CODEC_DIALOG} textarea`, endpoint);
  if (passToken) await page.press(`${CODEC_DIALOG} label`, 'Pass the user access token');
  await page.press(`${CODEC_DIALOG} [data-testid=confirm-modal-button]`, '');
}

/** Logs in to the Web UI under one of the names that the identity provider offers. */
export async function logIn(page: Page, name: string): Promise<void> {
  await page.press('[data-testid=login-button]', 'Continue to SSO');
  await page.press('a', name);
}

/** The input of a message as the details of a run print it, by somebody and for a reason. */
export function inputIn(details: string, message: string, by: string, reason: string): string {
  const printed = new RegExp(`--name ${message} --input '(.*)'`).exec(details)?.[1] ?? '';
  return printed.replace('USER', by).replace('WHY', reason);
}
