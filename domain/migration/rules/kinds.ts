import type { Remark } from '../finding.ts';
import { FOREIGN_KINDS, type ForeignKind } from '../foreign-kinds.ts';
import { MARKS } from '../marks.ts';
import type { KindSeen, MigrationSurvey } from '../survey.ts';

/** Kinds that are missing, are served in other versions, or have objects that Temper does not have. */
export const kindFindings = ({ kinds }: MigrationSurvey): readonly Remark[] => kinds.flatMap(findingsOf);

function findingsOf(seen: KindSeen): readonly Remark[] {
  const { kind, crd, version, served } = seen;
  if (version === undefined) return foreign(seen);
  if (served.includes(version)) return [];
  const on = `CustomResourceDefinition ${crd}`;
  const isOurs = crd in MARKS && !crd.endsWith('.ipam.cluster.x-k8s.io');
  if (served.length === 0)
    return [
      {
        rule: 'kind-missing',
        hinders: false,
        on,
        what: `the API server does not serve ${kind}`,
        next: isOurs
          ? 'Nothing: it comes with Temper.'
          : 'Nothing without Cluster API; else install its core provider.',
      },
    ];
  return [
    {
      rule: 'kind-version',
      hinders: !isOurs,
      on,
      what: `is served in ${served.join(', ')}; Temper reads ${version}`,
      next: isOurs ? 'Nothing: the CRD of Temper serves both.' : 'Upgrade Cluster API first.',
    },
  ];
}

function foreign({ kind, objects }: KindSeen): readonly Remark[] {
  const known: ForeignKind | undefined = FOREIGN_KINDS.find((each) => each.kind === kind);
  if (known === undefined) return [];
  const { hinders, what, next } = known;
  return objects.map(({ namespace, name, asks }) => {
    const isHindering = hinders === 'all' || (hinders === 'those that ask' && asks);
    return {
      rule: 'kind-not-served',
      hinders: isHindering,
      on: `${kind} ${namespace}/${name}`,
      what,
      next: isHindering || hinders === 'none' ? next : 'Nothing: it asks for nothing.',
    };
  });
}
