import { globSync } from 'node:fs';
import { isGenerated, productionFiles, textOf } from './production.ts';

/**
 * What a kind costs that has everything: `Metal3Remediation` stands for its like, with a workflow, activities, webhooks,
 * indexes, rights and a conversion.
 */

/** Files and folders of the kind itself. */
const ROOM = /remediation/i;
/** Beside the sources: where rights and webhooks are written by hand. */
const BESIDE = ['deploy/{kubernetes,helm}/**/*.{yaml,ts}', 'scripts/rights/*.ts', 'lab/rights.ts'];
/** The kind, or what is made for it. */
const NAMED =
  /[Mm]etal3[Rr]emediation|remediationBinding|remediationWorkflow|create\w*Remediation|RemediationActivities|KINDS\.remediation\b|SickNodeActivities/;
/** What `npm run manifests` writes between lines of people. */
const GENERATED = /# Generated from api\/[^]*?# End of what is generated\./g;
/** Remarks of `temper migrate` name kinds by themselves. */
const REMARKS = /^domain\/migration\/rules\//;

export interface KindFiles {
  /** In rooms of the kind. */
  readonly own: readonly string[];
  /** Others that name it: tables and lists, edited by hand. */
  readonly existing: readonly string[];
}

export function filesOfKind(checkout: string): KindFiles {
  const beside = BESIDE.flatMap((pattern) => globSync(pattern, { cwd: checkout })).filter(
    (file) => !file.endsWith('.test.ts'),
  );
  const all = [...productionFiles(checkout), ...beside].toSorted();
  return {
    own: all.filter((file) => ROOM.test(file)),
    existing: all.filter((file) => {
      if (ROOM.test(file) || REMARKS.test(file)) return false;
      const text = textOf(checkout, file).replaceAll(GENERATED, '');
      return NAMED.test(text) && !isGenerated(text);
    }),
  };
}
