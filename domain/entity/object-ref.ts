/** The name of an object whose kind is known. */
export interface ObjectName {
  readonly namespace: string;
  readonly name: string;
}

/** One object: the uid tells it from earlier and later objects of the same name. */
export interface ObjectRef extends ObjectName {
  readonly uid: string;
}
