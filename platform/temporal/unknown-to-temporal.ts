import { isGrpcServiceError } from '@temporalio/client';

const NOT_FOUND = 5;

/** True when Temporal answered that it does not know what was asked for. */
export const isUnknownToTemporal = (error: unknown): boolean =>
  isGrpcServiceError(error) && Number(error.code) === NOT_FOUND;
