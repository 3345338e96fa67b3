import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { View } from '../../../lab/terminal/views.ts';
import type { Page } from './page.ts';

/** Temporal's Web UI, as docs/web-ui.md says to use it. */
const PAGE = fileURLToPath(new URL('../../../docs/web-ui.md', import.meta.url));
const VIEW = /^\| ([^|]+) \| `(ExecutionStatus[^`]+)` \|$/gm;
const TIME = /(?<=TemperSince < ")[^"]+/;
const FILTER = /`(\/history\?category=[^`]+)`/;

const DIALOGS = { signal: 'Send a Signal', update: 'Send an Update' } as const;
export type Kind = keyof typeof DIALOGS;

/** The views of the document; `since` replaces the time in their queries. */
export async function documentedViews(since: Date): Promise<readonly View[]> {
  const text = await readFile(PAGE, 'utf8');
  return [...text.matchAll(VIEW)].map(([, name = '', query = '']) => ({
    name,
    query: query.replace(TIME, since.toISOString()),
  }));
}

/** What the document says to append to the address of a run, so that it shows no activities. */
export const documentedFilter = async (): Promise<string> => FILTER.exec(await readFile(PAGE, 'utf8'))?.[1] ?? '';

/** Opens one of the dialogs of a run, with the list of messages. */
export async function openDialog(page: Page, kind: Kind): Promise<void> {
  await page.press('button', 'More Actions');
  await page.press(`[data-testid=${kind}-button]`, DIALOGS[kind]);
  await page.press(`[data-testid=${kind}-select-button]`, '');
}

/** Sends a message with the dialog that was opened. */
export async function submit(page: Page, kind: Kind, message: string, input: string): Promise<void> {
  const dialog = `#${kind}-confirmation-modal`;
  await page.press(`${dialog} [role=option]`, message);
  await page.write(`${dialog} .cm-content`, input);
  await page.press(`${dialog} [data-testid=confirm-modal-button]`, '');
}

/** The input of a message as the details of a run print it, by somebody and for a reason. */
export function inputIn(details: string, message: string, by: string, reason: string): string {
  const printed = new RegExp(`--name ${message} --input '(.*)'`).exec(details)?.[1] ?? '';
  return printed.replace('USER', by).replace('WHY', reason);
}
