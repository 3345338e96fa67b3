import { joined, type Remarks } from './finding.ts';
import { hostFindings } from './rules/hosts.ts';
import { kindFindings } from './rules/kinds.ts';
import { leftFindings } from './rules/left.ts';
import { operatorFindings } from './rules/operators.ts';
import { webhookFindings } from './rules/webhooks.ts';
import type { MigrationSurvey } from './survey.ts';

/** What hinders a switch to Temper, and what to know before it. `now` in ms since the epoch. */
export const check = (survey: MigrationSurvey, now: number): readonly Remarks[] =>
  joined([
    ...webhookFindings(survey),
    ...operatorFindings(survey, now),
    ...hostFindings(survey),
    ...kindFindings(survey),
    ...leftFindings(survey),
  ]);
