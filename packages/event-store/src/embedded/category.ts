/**
 * What a stream's name says of its kind: all up to and including the first "-", as in `document-`; without one,
 * nothing. Events are indexed by it, so that a subscription to one kind doesn't read the others.
 */
export const categoryOf = (name: string): string => name.slice(0, name.indexOf("-") + 1);
