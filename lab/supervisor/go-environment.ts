/**
 * Environment of the servers written in Go. Their heaps are small: collecting garbage at four times the objects in use,
 * instead of twice, saves a tenth of the CPU time. Their requests need deep stacks: goroutines that begin with a stack
 * of the usual depth grow it less often.
 */
export const GO_ENVIRONMENT = { GOGC: '300', GODEBUG: 'adaptivestackstart=1' } as const;
