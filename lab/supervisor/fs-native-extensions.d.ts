declare module 'fs-native-extensions' {
  /** Locks a whole file for whoever holds this descriptor; false when another descriptor has it. */
  export function tryLock(fd: number): boolean;
}
