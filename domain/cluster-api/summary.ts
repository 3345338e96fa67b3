import type { Condition, LegacyCondition } from '../entity/view.ts';

interface SummaryReasons {
  readonly ready: string;
  readonly notReady: string;
  readonly unknown: string;
}

const READY: SummaryReasons = { ready: 'Ready', notReady: 'NotReady', unknown: 'ReadyUnknown' };

/** The summary's entry for a condition that has not been set yet. */
const notYetReported = (type: string): Condition => ({
  type,
  status: 'Unknown',
  reason: 'NotYetReported',
  message: 'Condition not yet reported',
});

/**
 * The condition Ready, summarised as Cluster API does: False when one of the conditions is False, else Unknown when one
 * is Unknown. Its message has a line for each condition that is not True, with that condition's message or, if it is
 * empty, its reason.
 */
export function summarise(types: readonly string[], claims: readonly Condition[]): Condition {
  const parts = types.map((type) => claims.find((claim) => claim.type === type) ?? notYetReported(type));
  const open = parts.filter(({ status }) => status !== 'True');
  const has = (status: Condition['status']): boolean => parts.some((part) => part.status === status);
  const message = open.map(({ type, message: said, reason }) => line(type, said === '' ? reason : said)).join('\n');
  if (has('False')) return { type: 'Ready', status: 'False', reason: READY.notReady, message };
  if (has('Unknown')) return { type: 'Ready', status: 'Unknown', reason: READY.unknown, message };
  return { type: 'Ready', status: 'True', reason: READY.ready, message: '' };
}

const line = (type: string, said: string): string =>
  said.includes('\n') ? `* ${type}:\n${said.replaceAll(/^/gm, '  ')}` : `* ${type}: ${said}`;

const SEVERITIES = ['Error', 'Warning', 'Info'] as const;

/** The same for legacy conditions: the worst of those that are False is shown; missing ones are ignored. */
export function summariseLegacy(
  types: readonly string[],
  claims: readonly LegacyCondition[],
): LegacyCondition | undefined {
  const parts = types.flatMap((type) => claims.filter((claim) => claim.type === type));
  if (parts.length === 0) return undefined;
  for (const severity of SEVERITIES) {
    const worst = parts.find((part) => part.status === 'False' && part.severity === severity);
    if (worst !== undefined) return { ...worst, type: 'Ready' };
  }
  return { type: 'Ready', status: 'True' };
}
