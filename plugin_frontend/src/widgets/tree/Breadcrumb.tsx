import { formatCounted } from "../../format/number.ts";
import { pathTo, type TreeNode } from "../../model/tree/icicle.ts";

/** Besides the root; more are left out in the middle. */
const MOST_STEPS = 4;

interface BreadcrumbProps {
  /** What was opened; null, and the root, lie in nothing. */
  node: TreeNode | null;
  nameOf: (node: TreeNode) => string;
  /** One of what is left out. */
  singular: string;
  onOpen: (node: TreeNode) => void;
}

/** What the opened node lies in; each step leads back. */
export function Breadcrumb({ node, nameOf, singular, onOpen }: BreadcrumbProps) {
  if (node === null || node.parent === null) return null;
  const [root, ...inner] = pathTo(node);
  const left = Math.max(inner.length - MOST_STEPS, 0);
  return (
    <nav class="crumbs s12" aria-label="Opened">
      {root !== undefined && <Step node={root} nameOf={nameOf} onOpen={onOpen} />}
      {left > 0 && <span class="t3">› {formatCounted(left, singular)}</span>}
      {inner.slice(left).map((step) => (
        <Step key={step.index} node={step} nameOf={nameOf} onOpen={step === node ? null : onOpen} />
      ))}
    </nav>
  );
}

function Step({ node, nameOf, onOpen }: Pick<BreadcrumbProps, "nameOf"> & { node: TreeNode; onOpen: BreadcrumbProps["onOpen"] | null }) {
  const name = <bdi>{nameOf(node)}</bdi>;
  return (
    <span class="row tight">
      {node.parent !== null && <span aria-hidden="true">›</span>}
      {onOpen === null ? (
        <b class="mono ell" aria-current="true" title={node.name}>
          {name}
        </b>
      ) : (
        <button class="link mono ell" type="button" title={node.name} onClick={() => onOpen(node)}>
          {name}
        </button>
      )}
    </span>
  );
}
