/**
 * The setting TEMPORAL_SDK_UNCHANGED: the SDK does all that it does by itself (docs/decisions/0014). Modules that each
 * thread loads first ask it, before any settings are read.
 */
export const isSdkUnchanged = (): boolean => process.env['TEMPORAL_SDK_UNCHANGED']?.toLowerCase() === 'true';
