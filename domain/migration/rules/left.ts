import { ANNOTATIONS } from '../../../api/baremetalhost/values.ts';
import { MACHINE_ANNOTATIONS, UNHEALTHY_ANNOTATIONS } from '../../machine/names.ts';
import type { Remark } from '../finding.ts';
import { MARKS, OWN_CONDITIONS } from '../marks.ts';
import type { MigrationSurvey, ObjectSeen } from '../survey.ts';

/** Finalizers, annotations and conditions of Metal3 that stay on objects because Temper does not know them. */
export const leftFindings = ({ kinds }: MigrationSurvey): readonly Remark[] =>
  kinds.flatMap(({ crd, kind, objects }) => {
    const marks = MARKS[crd];
    if (marks === undefined) return [];
    const { finalizers, conditions = [] } = marks;
    return objects.flatMap((object): Remark[] => {
      const on = `${kind} ${object.namespace}/${object.name}`;
      return [
        ...unknown(object.finalizers, finalizers).map(
          (finalizer): Remark => ({
            rule: 'finalizer-left',
            hinders: true,
            on,
            what: `has the finalizer ${finalizer}, which nobody would remove`,
            next: 'Find out whose it is; let that program remove it.',
          }),
        ),
        ...unknownAnnotations(object).map(
          (annotation): Remark => ({
            rule: 'annotation-left',
            hinders: false,
            on,
            what: `has the annotation ${annotation}, which has no effect in Temper`,
            next: 'Remove it if nothing else reads it.',
          }),
        ),
        ...keepingOff(object).map(
          (annotation): Remark => ({
            rule: 'annotation-left',
            hinders: false,
            on,
            what: `has the annotation ${annotation}, which keeps the host off until its author removes it`,
            next: 'See to it that its author goes on, or remove it.',
          }),
        ),
        ...object.conditions
          .filter((type) => !conditions.includes(type) && !OWN_CONDITIONS.includes(type))
          .map(
            (type): Remark => ({
              rule: 'condition-left',
              hinders: false,
              on,
              what: `has the condition ${type}, which would stay as it is`,
              next: 'Do not rely on it any more.',
            }),
          ),
      ];
    });
  });

const isOfMetal3 = (name: string): boolean =>
  /(?:^|\.)metal3\.io(?:\/|$)/.test(name) || /(?:^|\.)infrastructure\.cluster\.x-k8s\.io(?:\/|$)/.test(name);

/** Finalizers of other projects are the business of their programs. */
const unknown = (names: readonly string[], known: readonly string[]): readonly string[] =>
  names.filter((name) => isOfMetal3(name) && !known.includes(name));

const KNOWN_ANNOTATIONS: readonly string[] = [
  ...Object.values(ANNOTATIONS),
  ...Object.values(MACHINE_ANNOTATIONS),
  ...UNHEALTHY_ANNOTATIONS,
];
const KNOWN_BEGINNINGS: readonly string[] = [
  `${ANNOTATIONS.reboot}/`,
  'remediation.metal3.io/',
  'host.metal3.io/',
  'temper.metal3.io/',
];

const unknownAnnotations = ({ annotations }: ObjectSeen): readonly string[] =>
  unknown(annotations, KNOWN_ANNOTATIONS).filter((name) => !KNOWN_BEGINNINGS.some((begin) => name.startsWith(begin)));

/** Those of a Metal3Remediation go with it. */
const keepingOff = ({ host, annotations }: ObjectSeen): readonly string[] =>
  host === undefined
    ? []
    : annotations.filter(
        (name) =>
          name.startsWith(`${ANNOTATIONS.reboot}/`) && !name.startsWith(`${ANNOTATIONS.reboot}/metal3-remediation-`),
      );
