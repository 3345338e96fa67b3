import { PASSING_CONDITIONS, settle, settleLegacy, toSeconds } from '../../domain/entity/conditions.ts';
import type { Condition, EntityView, Patch, Shown } from '../../domain/entity/view.ts';
import { STUCK } from '../../domain/usual-times/stuck.ts';
import { isObject, type Json, mergePatch } from '../../kube/merge-patch.ts';
import type { Writable } from '../../kube/objects/any-object.ts';
import { conditionsOf, legacyConditionsOf } from '../../kube/objects/conditions.ts';

/** Merge patches from an object to what it should show; each is undefined when there is no difference. */

export function finalizerPatch({ metadata }: Writable, view: EntityView, finalizer: string): Json | undefined {
  const { finalizers, deletionTimestamp } = metadata;
  const mayHold = view.shown.finalizer && !view.leaving && deletionTimestamp === undefined;
  return mayHold && !finalizers.includes(finalizer) ? { finalizers: [...finalizers, finalizer] } : undefined;
}

export function annotationsPatch(
  { metadata: { annotations } }: Writable,
  wanted: Shown['annotations'],
): Json | undefined {
  return mergePatch({ annotations }, { annotations: { ...annotations, ...wanted } });
}

export const specPatch = ({ spec }: Writable, wanted: Patch): Json | undefined =>
  mergePatch(spec, merged(spec, wanted));

/** The condition Stuck describes one state, so it is removed when the state changes. */
const isMoving = (shown: Json, next: Patch): boolean => stateIn(shown) !== stateIn(next);
const stateIn = ({ provisioning }: Patch): unknown => (isObject(provisioning) ? provisioning['state'] : undefined);

/**
 * `status` replaces the view's; `added` are conditions of the bridge; `repairs`: when the same view was first written.
 */
export function statusPatch(
  { status: before }: Writable,
  { shown, generation }: Pick<EntityView, 'shown' | 'generation'>,
  status: Patch,
  added: readonly Condition[],
  { now, repairs }: { readonly now: number; readonly repairs?: number },
): Json | undefined {
  const { lastUpdated, ...untimed } = before;
  const deprecated = shown.legacyConditions && {
    v1beta1: {
      ...(isObject(status['deprecated']) && isObject(status['deprecated']['v1beta1'])
        ? status['deprecated']['v1beta1']
        : {}),
      ...(shown.legacyConditions.length > 0 && {
        conditions: settleLegacy(shown.legacyConditions, legacyConditionsOf(before), now),
      }),
    },
  };
  const claims = [...(shown.conditions ?? []), ...added];
  const isOver = (type: string): boolean =>
    type === STUCK
      ? isMoving(before, status)
      : PASSING_CONDITIONS.includes(type) && !claims.some((each) => each.type === type);
  const others = conditionsOf(before).filter(({ type }) => !isOver(type));
  const wanted = {
    ...status,
    ...(shown.conditions && { conditions: settle(claims, others, generation, now) }),
    ...(deprecated && Object.keys(deprecated.v1beta1).length > 0 && { deprecated }),
  };
  const patch = mergePatch(shown.timed ? untimed : before, wanted);
  if (!shown.timed) return patch;
  return patch === undefined && lastUpdated !== undefined
    ? undefined
    : { ...patch, lastUpdated: toSeconds(repairs ?? now) };
}

/** RFC 7396. */
export function merged(target: Json, patch: Json): Json {
  const result: Record<string, unknown> = { ...target };
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) delete result[key];
    else if (isObject(value)) result[key] = merged(isObject(target[key]) ? target[key] : {}, value);
    else result[key] = value;
  }
  return result;
}

const STATUS = 'status.';

/** The fields in the status, among those that the API server names. */
export const inStatus = (fields: readonly string[]): readonly string[] =>
  fields.filter((field) => field.startsWith(STATUS));

/**
 * A merge patch of a status without these fields, for example `status.provisioning.raid.softwareRAIDVolumes[0].level`:
 * they keep the values that the object has. A list is left out as a whole, and so is an object that lacks a required
 * field.
 */
export const withoutFields = (patch: Json, fields: readonly string[]): Json =>
  inStatus(fields).reduce((rest, field) => without(rest, pathOf(field)), patch);

const pathOf = (field: string): readonly string[] => (field.slice(STATUS.length).split('[')[0] ?? '').split('.');

function without(patch: Json, [key = '', ...path]: readonly string[]): Json {
  if (!Object.hasOwn(patch, key)) return patch;
  const { [key]: value, ...others } = patch;
  if (path.length === 0 || !isObject(value)) return others;
  const rest = without(value, path);
  return rest === value ? others : { ...others, [key]: rest };
}
