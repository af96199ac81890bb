/** What a relationship may point to outside of the package: it is shown, not fetched. */
const HARMLESS = /Type\s*=\s*(["'])[^"']*\/hyperlink\1/;

/**
 * A relationships part whose external targets, but for hyperlinks, lead nowhere: an office engine would fetch pictures,
 * templates and texts from the network or the disk, wherever the document's author wants.
 */
export function withoutExternalTargets(relationships: string): string {
  return relationships.replace(/<(?:\w+:)?Relationship\b[^>]*>/g, (relationship) =>
    /TargetMode\s*=\s*(["'])External\1/.test(relationship) && !HARMLESS.test(relationship)
      ? relationship.replace(/(\sTarget\s*=\s*)("[^"]*"|'[^']*')/, '$1"about:blank"')
      : relationship,
  );
}
