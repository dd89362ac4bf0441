// Rounds between two GPUs with several forms of flag-in-data packets: what the form, the loads under way, the barrier
// reduction and a credit for each message cost. Stands alone: nvcc -O3 -std=c++17 -arch=sm_90 packet_forms.cu
// Results: docs/results/2026-11-29-packet-forms.md
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cuda_runtime.h>
#define CK(x) do{cudaError_t e=(x); if(e!=cudaSuccess){printf("ERR %s line %d: %s\n",#x,__LINE__,cudaGetErrorString(e)); exit(1);} }while(0)
typedef unsigned long long u64; typedef unsigned u32;
__device__ __forceinline__ void st_rlx(u64*p,u64 v){asm volatile("st.relaxed.sys.global.u64 [%0],%1;"::"l"(p),"l"(v):"memory");}
__device__ __forceinline__ u64 ld_acq(u64*p){u64 v;asm volatile("ld.acquire.sys.global.u64 %0,[%1];":"=l"(v):"l"(p):"memory");return v;}
__device__ __forceinline__ u64 ld_rlx(u64*p){u64 v;asm volatile("ld.relaxed.sys.global.u64 %0,[%1];":"=l"(v):"l"(p):"memory");return v;}
__device__ __forceinline__ void st128(void*p,u64 a,u64 b){asm volatile("{.reg .b128 t; mov.b128 t,{%1,%2}; st.relaxed.sys.global.b128 [%0],t;}"::"l"(p),"l"(a),"l"(b):"memory");}
__device__ __forceinline__ void ld128(const void*p,u64&a,u64&b){asm volatile("{.reg .b128 t; ld.relaxed.sys.global.b128 t,[%2]; mov.b128 {%0,%1},t;}":"=l"(a),"=l"(b):"l"(p):"memory");}
__device__ __forceinline__ unsigned inc_acqrel(unsigned*p){unsigned v;asm volatile("atom.acq_rel.gpu.global.add.u32 %0,[%1],1;":"=r"(v):"l"(p):"memory");return v;}
// variants: 0 baseline 8+8; 1 8+8 receiver 4 in flight; 2 8+8, bar.red + credit each message, 4 in flight; 3 12+4 with u32 accesses; 4 12+4 shuffled (16-byte loads/stores); 5 12+4, u32, 2 in flight
template<int V> __global__ void sender(int it0,int iters,size_t bytes,const char*src,char*pk,u64*ack,u64*credit){
  size_t st=(size_t)gridDim.x*blockDim.x,k0=blockIdx.x*(size_t)blockDim.x+threadIdx.x; u64 have=0;
  for(int i=it0+1;i<=it0+iters;i++){
    if(V==2){ while(have+4<(u64)i) have=ld_rlx(credit+blockIdx.x*16); }
    char*slot=pk+(V==2?(size_t)(i&3)*(4u<<20):0);
    if(V<=2){ const u64*s=(const u64*)src; for(size_t k=k0;k<bytes/8;k+=st) st128(slot+k*16,s[k],i); }
    else if(V==3||V==5){ const u32*s=(const u32*)src; size_t n=bytes/4,np=(n+2)/3; for(size_t k=k0;k<np;k+=st){ u32 a=s[3*k],b=3*k+1<n?s[3*k+1]:0,c=3*k+2<n?s[3*k+2]:0; st128(slot+k*16,a|(u64)b<<32,c|(u64)(u32)i<<32);} }
    else { // warp moves 384 bytes: 24 lanes load 16 bytes, packet l holds words 3l..3l+2
      const int4*s=(const int4*)src; int lane=threadIdx.x&31; size_t w=k0>>5,W=st>>5,n16=bytes/16,lines=(n16+23)/24;
      for(size_t L=w;L<lines;L+=W){ int4 v=make_int4(0,0,0,0); size_t at=L*24+lane; if(lane<24&&at<n16) v=s[at];
        u32 r[3];
        #pragma unroll
        for(int j=0;j<3;j++){ int word=3*lane+j,from=word>>2,c=word&3; u32 x=__shfl_sync(~0u,v.x,from),y=__shfl_sync(~0u,v.y,from),z=__shfl_sync(~0u,v.z,from),q=__shfl_sync(~0u,v.w,from); r[j]=c==0?x:c==1?y:c==2?z:q; }
        if(L*96+3*lane<n16*4) st128(slot+(L*32+lane)*16,r[0]|(u64)r[1]<<32,r[2]|(u64)(u32)i<<32); } }
    if(threadIdx.x==0) while(ld_acq(ack)<(u64)i); __syncthreads(); } }
template<int V> __global__ void receiver(int it0,int iters,size_t bytes,const char*pk,char*out_,unsigned*cnt,u64*ack,u64*credit){
  size_t st=(size_t)gridDim.x*blockDim.x,k0=blockIdx.x*(size_t)blockDim.x+threadIdx.x;
  for(int i=it0+1;i<=it0+iters;i++){
    const char*slot=pk+(V==2?(size_t)(i&3)*(4u<<20):0); bool good=true;
    if(V==0){ u64*out=(u64*)out_; for(size_t k=k0;k<bytes/8;k+=st){u64 a,f; do ld128(slot+k*16,a,f); while(f!=(u64)i); out[k]=a;} }
    else if(V==1||V==2){ u64*out=(u64*)out_; size_t n=bytes/8,k=k0; 
      for(;k+3*st<n;k+=4*st){u64 a[4],f[4]; bool all; do{ 
        #pragma unroll
        for(int u=0;u<4;u++) ld128(slot+(k+u*st)*16,a[u],f[u]); all=f[0]==(u64)i&&f[1]==(u64)i&&f[2]==(u64)i&&f[3]==(u64)i;}while(!all); 
        #pragma unroll
        for(int u=0;u<4;u++) out[k+u*st]=a[u]; }
      for(;k<n;k+=st){u64 a,f; do ld128(slot+k*16,a,f); while(f!=(u64)i); out[k]=a; good&=f==(u64)i;} }
    else if(V==3){ u32*out=(u32*)out_; size_t n=bytes/4,np=(n+2)/3; for(size_t k=k0;k<np;k+=st){u64 a,f; do ld128(slot+k*16,a,f); while((u32)(f>>32)!=(u32)i); out[3*k]=(u32)a; if(3*k+1<n) out[3*k+1]=a>>32; if(3*k+2<n) out[3*k+2]=(u32)f;} }
    else if(V==5){ u32*out=(u32*)out_; size_t n=bytes/4,np=(n+2)/3,k=k0; for(;k+st<np;k+=2*st){u64 a,f,b,g; do {ld128(slot+k*16,a,f);ld128(slot+(k+st)*16,b,g);} while((u32)(f>>32)!=(u32)i||(u32)(g>>32)!=(u32)i); out[3*k]=(u32)a; out[3*k+1]=a>>32; out[3*k+2]=(u32)f; size_t q=k+st; out[3*q]=(u32)b; if(3*q+1<n) out[3*q+1]=b>>32; if(3*q+2<n) out[3*q+2]=(u32)g;} for(;k<np;k+=st){u64 a,f; do ld128(slot+k*16,a,f); while((u32)(f>>32)!=(u32)i); out[3*k]=(u32)a; if(3*k+1<n) out[3*k+1]=a>>32; if(3*k+2<n) out[3*k+2]=(u32)f;} }
    else { int4*o=(int4*)out_; int lane=threadIdx.x&31; size_t w=k0>>5,W=st>>5,n16=bytes/16,lines=(n16+23)/24;
      for(size_t L=w;L<lines;L+=W){ u64 a=0,f=0; if(L*96+3*lane<n16*4){ do ld128(slot+(L*32+lane)*16,a,f); while((u32)(f>>32)!=(u32)i); } __syncwarp();
        u32 r0=(u32)a,r1=a>>32,r2=(u32)f; int4 v; u32*vv=(u32*)&v;
        #pragma unroll
        for(int j=0;j<4;j++){ int word=4*lane+j; int from=word/3,c=word-3*from; u32 x=__shfl_sync(~0u,r0,from),y=__shfl_sync(~0u,r1,from),z=__shfl_sync(~0u,r2,from); vv[j]=c==0?x:c==1?y:z; }
        size_t at=L*24+lane; if(lane<24&&at<n16) o[at]=v; } }
    if(V==2){ int ok=__syncthreads_and(good); if(threadIdx.x==0) st_rlx(credit+blockIdx.x*16,ok?(u64)i:0); } else __syncthreads();
    if(threadIdx.x==0){ if(gridDim.x==1) st_rlx(ack,i); else { unsigned goal=gridDim.x*(unsigned)(i-it0); if(inc_acqrel(cnt)==goal-1) st_rlx(ack,i); unsigned v; do asm volatile("ld.acquire.gpu.global.u32 %0,[%1];":"=r"(v):"l"(cnt):"memory"); while(v<goal);} } __syncthreads(); } }
cudaStream_t st[2]; char*b[2],*s[2],*o[2]; u64*f[2]; unsigned*c[2]; cudaEvent_t e0,e1;
template<int V> void go(int nb,size_t sz,int th){ double best[7]; float ms; for(int r=0;r<7;r++){ for(int d=0;d<2;d++){cudaSetDevice(d); cudaMemset(f[d],0,1<<20); cudaMemset(c[d],0,4096); cudaMemset(b[d],0,64<<20); cudaMemset(o[d],0,1<<20); cudaDeviceSynchronize();}
  int it=300; cudaSetDevice(1); receiver<V><<<nb,th,0,st[1]>>>(0,it,sz,b[1],o[1],c[1],f[0]+4096,f[0]+16384); cudaSetDevice(0); cudaEventRecord(e0,st[0]); sender<V><<<nb,th,0,st[0]>>>(0,it,sz,s[0],b[1],f[0]+4096,f[0]+16384); cudaEventRecord(e1,st[0]); CK(cudaStreamSynchronize(st[0])); cudaEventElapsedTime(&ms,e0,e1); best[r]=ms*1000/it; CK(cudaGetLastError()); cudaSetDevice(1); CK(cudaStreamSynchronize(st[1])); }
  std::vector<char> h(sz),g(sz); cudaMemcpy(h.data(),o[1],sz,cudaMemcpyDefault); cudaMemcpy(g.data(),s[0],sz,cudaMemcpyDefault); bool eq=h==g; std::sort(best,best+7); printf("v=%d nb=%-3d th=%d bytes=%-7zu us=%.2f %s\n",V,nb,th,sz,best[3],eq?"ok":"WRONG"); }
int main(){ setvbuf(stdout,nullptr,_IOLBF,0); setenv("CUDA_MODULE_LOADING","EAGER",1); const size_t N=64u<<20;
  for(int d=0;d<2;d++){cudaSetDevice(d); CK(cudaDeviceEnablePeerAccess(1-d,0)); CK(cudaMalloc(&b[d],N)); CK(cudaMalloc(&s[d],4<<20)); CK(cudaMalloc(&o[d],4<<20)); CK(cudaMalloc(&f[d],1<<20)); CK(cudaMalloc(&c[d],4096)); std::vector<int> h(1<<20); for(auto&x:h) x=rand(); cudaMemcpy(s[d],h.data(),4<<20,cudaMemcpyDefault); CK(cudaStreamCreateWithFlags(&st[d],cudaStreamNonBlocking)); cudaDeviceSynchronize();}
  cudaSetDevice(0); cudaEventCreate(&e0); cudaEventCreate(&e1);
  for(int nb:{1,8,32,64}) for(size_t sz:{16ul,1024ul,4096ul,16384ul,65536ul,262144ul,1048576ul}){ if(nb==64&&sz<65536) continue; go<0>(nb,sz,512); go<1>(nb,sz,512); go<2>(nb,sz,512); go<3>(nb,sz,512); go<4>(nb,sz,512); go<5>(nb,sz,512); } 
  for(int nb:{16,32,64}) for(size_t sz:{65536ul,262144ul}){ go<0>(nb,sz,1024); go<3>(nb,sz,1024); go<4>(nb,sz,1024);} }
