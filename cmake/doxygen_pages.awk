# SPDX-License-Identifier: Apache-2.0
# awk -v root=<root> -f doxygen_pages.awk <page>: a Markdown page as Doxygen reads it. Headings get labels, $formulas$
# Doxygen's marks; links to pages and to public headers become references, and links to other files become plain text;
# <img> becomes Markdown's picture, which Doxygen copies.
function label(path) {
  gsub(/[^A-Za-z0-9]+/, "_", path)
  return "page_" path
}
function slug(text) {
  text = tolower(text)
  gsub(/[^a-z0-9_ -]/, "", text)
  gsub(/ /, "-", text)
  return text
}
# absolute(<link>): the path from the root of what this page links to
function absolute(link,    path) {
  path = directory link
  while (sub(/[^\/]+\/\.\.\//, "", path)) continue
  return path
}
function picture(tag,    text, path) {
  text = path = tag
  if (!sub(/.*alt="/, "", text)) text = ""
  sub(/".*/, "", text)
  sub(/.*src="/, "", path)
  sub(/".*/, "", path)
  return "![" text "](" path ")"
}
function reference(link,    text, target, anchor) {
  text = link
  sub(/^\[/, "", text)
  sub(/\]\(.*/, "", text)
  target = link
  sub(/^[^]]*\]\(/, "", target)
  sub(/\)$/, "", target)
  if (target ~ /^[a-z]+:/) return link
  anchor = target ~ /#/ ? target : ""
  sub(/^[^#]*#/, "", anchor)
  sub(/#.*/, "", target)
  target = target == "" ? page : absolute(target)
  if (target ~ /\.md$/) return "[" text "](@ref " label(target) (anchor == "" ? "" : "_" anchor) ")"
  sub(/^include\//, "", target)
  if (target ~ /^dplda\/.*\.hpp$/ && target !~ /\/detail\//) return "[" text "](@ref " target ")"
  return text
}
FNR == 1 {
  page = substr(FILENAME, length(root) + 2)
  directory = page
  sub(/[^\/]*$/, "", directory)
}
/^```/ { code = !code }
!code && /^#+ / {
  text = $0
  sub(/^#+ /, "", text)
  if (!titled) gsub(/`/, "")  # a title stands in the tree of pages, too, which has letters only
  $0 = $0 " {#" label(page) (titled++ ? "_" slug(text) : "") "}"
}
!code && !/^    / {
  rest = $0
  $0 = ""
  gsub(/<\/?(picture|source)[^>]*>/, "", rest)
  while (match(rest, /`[^`]*`|\$[^$ ]([^$]*[^$ ])?\$|!?\[[^][]*\]\([^)]*\)|<img [^>]*>/)) {
    found = substr(rest, RSTART, RLENGTH)
    before = substr(rest, 1, RSTART - 1)
    rest = substr(rest, RSTART + RLENGTH)
    if (found ~ /^\$/) found = "\\f" substr(found, 1, length(found) - 1) "\\f$"
    if (found ~ /^\[/) found = reference(found)
    if (found ~ /^</) found = picture(found)
    $0 = $0 before found
  }
  $0 = $0 rest
}
{ print }
