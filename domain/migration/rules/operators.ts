import { isImageOf, OPERATORS, type Operator } from '../../other-operators/operators.ts';
import { freshWrite, isHeldByAnother } from '../../other-operators/running.ts';
import type { Remark } from '../finding.ts';
import type { MigrationSurvey } from '../survey.ts';

/** Operators of Metal3 that still run, or may run again. */
export const operatorFindings = (survey: MigrationSurvey, now: number): readonly Remark[] =>
  OPERATORS.flatMap((operator) => [
    ...deployed(survey, operator),
    ...leading(survey, operator, now),
    ...writing(survey, operator, now),
  ]);

function deployed({ deployments }: MigrationSurvey, operator: Operator): readonly Remark[] {
  return deployments
    .filter(({ images, replicas }) => replicas > 0 && isImageOf(operator, images))
    .map(({ namespace, name, replicas }) => ({
      rule: 'other-operator',
      hinders: true,
      on: `Deployment ${namespace}/${name}`,
      what: `runs ${operator.name}: replicas: ${replicas}`,
      next: `kubectl scale deployment -n ${namespace} ${name} --replicas=0`,
    }));
}

/** The namespaces of their Deployments, also of those without Pods. */
export const operatorNamespaces = ({ deployments }: MigrationSurvey): ReadonlySet<string> =>
  new Set(
    deployments
      .filter(({ images }) => OPERATORS.some((operator) => isImageOf(operator, images)))
      .map(({ namespace }) => namespace),
  );

function leading({ leases }: MigrationSurvey, { name, lease }: Operator, now: number): readonly Remark[] {
  return leases
    .filter((each) => each.name === lease && isHeldByAnother(each, now))
    .map(({ namespace, holder }) => ({
      rule: 'other-operator',
      hinders: true,
      on: `Lease ${namespace}/${lease}`,
      what: `is held by a running ${name}: ${holder}`,
      next: 'Stop that process; it may run outside of this cluster.',
    }));
}

function writing({ kinds }: MigrationSurvey, operator: Operator, now: number): readonly Remark[] {
  return kinds
    .filter(({ crd }) => crd.endsWith(`.${operator.group}`))
    .flatMap(({ kind, objects }) =>
      objects
        .filter(({ managed }) => freshWrite(managed, operator, now) !== undefined)
        .map(({ namespace, name }) => ({
          rule: 'other-operator' as const,
          hinders: true,
          on: `${kind} ${namespace}/${name}`,
          what: `has a status that ${operator.name} has written in the last five minutes`,
          next: 'Stop that operator. Temper waits for five minutes after its last write.',
        })),
    );
}
