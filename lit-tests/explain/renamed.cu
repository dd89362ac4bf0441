// Nothing that is found hangs on a name: when every symbol and value of the module has another one, the sites are the same.
// RUN: %gicc %S/../weak/p10_last_block.cu --stop-after frontend -o %t.ll
// RUN: opt -passes=metarenamer -rename-exclude-function-prefixes=__gicc_ -S %t.ll -o %t.renamed.ll
// RUN: FileCheck --check-prefix=RENAMED %s < %t.renamed.ll
// RUN: %gicc explain %t.ll --format json | grep -oE "\"class\":\"[a-z-]*\"|\"line\":[0-9]*|\"op\":\"[^\"]*\"|\"executed_by\":\"[^\"]*\"|\"how\":\"[a-z ]*\"" > %t.1
// RUN: %gicc explain %t.renamed.ll --format json | grep -oE "\"class\":\"[a-z-]*\"|\"line\":[0-9]*|\"op\":\"[^\"]*\"|\"executed_by\":\"[^\"]*\"|\"how\":\"[a-z ]*\"" > %t.2
// RUN: diff %t.1 %t.2
// RUN: FileCheck %s < %t.1
// RENAMED-NOT: @last_block
// RENAMED: ptx_kernel void @
// CHECK: "class":"grid-counter"
// CHECK: "class":"signal"
