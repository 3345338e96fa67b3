import { isObject, type Json } from '../../kube/merge-patch.ts';

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
