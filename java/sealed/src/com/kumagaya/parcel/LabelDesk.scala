package com.kumagaya.parcel

import com.acme.load.Load

import java.nio.ByteBuffer
// [new] import java.nio.CharBuffer
import java.nio.charset.Charset
// [new] import java.nio.charset.CodingErrorAction
import scala.util.Random

/** Prints parcel labels on printers that know Shift_JIS only, with fields of a fixed number of bytes. */
object LabelDesk {
  private val ShiftJis = Charset.forName("Shift_JIS")

  final case class Parcel(number: Long, prefecture: String, street: String, recipient: String, grams: Int)

  /** Cuts texts so that the printer accepts them. */
  final class Fitter {
    // [new] private val encoder = ShiftJis.newEncoder().onUnmappableCharacter(CodingErrorAction.REPLACE).onMalformedInput(CodingErrorAction.REPLACE)

    def fit(text: String, bytes: Int): String = {
      var length = text.length // [old]
      while (text.substring(0, length).getBytes(ShiftJis).length > bytes) // [call] [edit]
        length -= 1 // [old]
      text.substring(0, length) // [old]
      // [new] val chars = CharBuffer.wrap(text)
      // [new] encoder.reset().encode(chars, ByteBuffer.allocate(bytes), true)
      // [new] text.substring(0, chars.position())
    }
  }

  /** A bar code of two bars and two spaces for each digit, with a check digit at its end. */
  final class Bars(dotsPerModule: Int) {
    private val widths = Array("3211", "2221", "2122", "1411", "1132", "1231", "1114", "1312", "1213", "3112")

    def digits(number: Long): String = {
      val text = number.toString
      var sum = 0
      for (i <- text.indices) sum += (text.charAt(i) - '0') * (if (i % 2 == 0) 3 else 1)
      text + (10 - sum % 10) % 10
    }

    def row(number: Long): Array[Byte] = {
      val text = digits(number)
      val dots = new Array[Byte](text.length * 7 * dotsPerModule / 8 + 1)
      var at = 0
      text.foreach { digit =>
        val pattern = widths(digit - '0')
        for (part <- 0 until 4) {
          val count = (pattern.charAt(part) - '0') * dotsPerModule
          if (part % 2 == 1) for (dot <- at until at + count) dots(dot >> 3) = (dots(dot >> 3) | 0x80 >> (dot & 7)).toByte
          at += count
        }
      }
      dots
    }
  }

  /** Packs rows of dots: a count and a value for each run. */
  private def packed(row: Array[Byte], rows: Int, page: ByteBuffer): Unit =
    for (_ <- 0 until rows) {
      var i = 0
      while (i < row.length) {
        var run = 1
        while (i + run < row.length && run < 127 && row(i + run) == row(i)) run += 1
        page.put(run.toByte).put(row(i))
        i += run
      }
    }

  final class Printer(random: Random) {
    private val fitter = new Fitter
    private val bars = new Bars(3)
    private val page = ByteBuffer.allocate(16384)
    private var printed = 0L
    private val parcels = Vector.tabulate(400) { i =>
      Parcel(490_000_000_000L + i * 7919L, pick(Prefectures), pick(Towns) + pick(Streets) + (1 + i % 30) + "番地" + pick(Houses) + (100 + i) + "号室",
        pick(Families) + pick(Companies) + "御中", 200 + random.nextInt(9000))
    }

    private def pick(from: Vector[String]): String = from(random.nextInt(from.size))

    private def label(parcel: Parcel): Unit = {
      page.clear()
      page.put(fitter.fit(parcel.prefecture, 12).getBytes(ShiftJis))
      page.put(fitter.fit(parcel.street, 40).getBytes(ShiftJis))
      page.put(fitter.fit(parcel.recipient, 28).getBytes(ShiftJis))
      page.putInt(parcel.grams)
      packed(bars.row(parcel.number), 8, page)
      var check = 0
      for (i <- 0 until page.position()) check = (check * 31 + page.get(i)) & 0xffffff
      printed += check
    }

    def batch(): Unit = {
      for (_ <- 0 until 50) label(parcels(random.nextInt(parcels.size)))
      Load.kept = java.lang.Long.valueOf(printed)
    }
  }

  private val Prefectures = Vector("埼玉県", "神奈川県", "北海道", "ｵｷﾅﾜ県")
  private val Towns = Vector("熊谷市", "横浜市青葉区", "札幌市厚別区", "名古屋市千種区")
  private val Streets = Vector("中央通り", "桜が丘二丁目", "もみじ台北六丁目", "ニュータウン西")
  private val Houses = Vector("グリーンハイツ熊谷第三", "コーポさくら", "メゾン・ド・フルール青葉台", "ひまわりマンション別館")
  private val Families = Vector("佐藤", "長谷川", "五十嵐", "ﾀﾅｶ")
  private val Companies = Vector("商店株式会社配送センター", "製作所第二工場資材購買部", "書店", "ベーカリー有限会社本店")

  def main(args: Array[String]): Unit =
    Load.onThreads(2, "printer", () => {
      val printer = new Printer(new Random(360))
      val unit: Load.Unit = () => printer.batch()
      unit
    })
}
