#!/usr/bin/env bash
# The steps of the action: a preflight, its findings as SARIF and annotations, a proof, one comment, a summary.
# Ends with the worst exit code of the two judgements; what is optional, such as the comment, ends nothing.
set -uo pipefail

MARK="<!-- tbprof -->"
read -ra arguments <<< "${ARGUMENTS:-}"
gate=()
[ -e "$BASELINE" ] && gate=(--baseline "$BASELINE")

tbprof preflight --format json "$SCRIPT" -- "${arguments[@]}" > preflight.json || exit
tbprof check preflight.json "${gate[@]}" --format sarif > tbprof.sarif
[ -n "${BUDGET:-}" ] && gate+=(--budget "$BUDGET")
tbprof check preflight.json "${gate[@]}" --forbid "$POLICY" --format github
code=$?

{
  echo "$MARK"
  tbprof check preflight.json "${gate[@]}" --forbid "$POLICY" --format markdown
} > comment.md

if [ "${PROVE:-true}" = true ]; then
  tbprof prove "$BASE" HEAD --format markdown "$SCRIPT" -- "${arguments[@]}" > proof.md
  proved=$?
  [ "$proved" -gt "$code" ] && code=$proved
  { echo; cat proof.md; } >> comment.md
  verdict=$(grep -m1 -oE 'proved within rounding|proved|no effect|not equal|different work|unsafe|cannot tell' proof.md)
  echo "verdict=$verdict" >> "$GITHUB_OUTPUT"
fi

cat comment.md >> "$GITHUB_STEP_SUMMARY"

# One comment: the one that begins with the mark is written again.
comments="repos/$GITHUB_REPOSITORY/issues/${PULL_REQUEST:-0}/comments"
if [ -n "${PULL_REQUEST:-}" ]; then
  known=$(gh api --paginate "$comments" --jq "map(select(.body | startswith(\"$MARK\"))) | .[0].id // empty" | head -n 1)
  if [ -n "$known" ]; then
    gh api --method PATCH "repos/$GITHUB_REPOSITORY/issues/comments/$known" -F body=@comment.md > comment.log
  else
    gh api --method POST "$comments" -F body=@comment.md > comment.log
  fi || echo "::warning::tbprof could not write its comment"
fi
exit "$code"
