declare module 'fs-native-extensions' {
  /** Locks a whole file for the holder of this descriptor; false when another descriptor has the lock. */
  export function tryLock(fd: number): boolean;
}
