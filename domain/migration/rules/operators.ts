import { isImageOf, OPERATORS, type Operator } from '../../other-operators/operators.ts';
import { hasJustWritten, isDeployed, isLeading } from '../../other-operators/signs.ts';
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
    .filter((each) => isDeployed(operator, each))
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

function leading({ leases }: MigrationSurvey, operator: Operator, now: number): readonly Remark[] {
  return leases
    .filter((each) => isLeading(operator, each, now))
    .map(({ namespace, name, holder }) => ({
      rule: 'other-operator',
      hinders: true,
      on: `Lease ${namespace}/${name}`,
      what: `is held by a running ${operator.name}: ${holder}`,
      next: 'Stop that process; it may run outside of this cluster.',
    }));
}

function writing({ kinds }: MigrationSurvey, operator: Operator, now: number): readonly Remark[] {
  return kinds.flatMap(({ crd, kind, objects }) =>
    objects
      .filter(({ managed }) => hasJustWritten(operator, { crd, managed }, now))
      .map(({ namespace, name }) => ({
        rule: 'other-operator' as const,
        hinders: true,
        on: `${kind} ${namespace}/${name}`,
        what: `has a status that ${operator.name} has written in the last five minutes`,
        next: 'Stop that operator. Temper waits for five minutes after its last write.',
      })),
  );
}
