/** The part of a logger that is used here: details with stable keys, then a constant message. */
export interface IronicLog {
  warn(details: object, message: string): void;
  info(details: object, message: string): void;
}
